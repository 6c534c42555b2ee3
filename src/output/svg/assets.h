/* flame.js and flame.css as strings: written by tools/embed.sh when the project is built. */
#ifndef OUTPUT_SVG_ASSETS_H
#define OUTPUT_SVG_ASSETS_H

extern const char svg_script[], svg_style[];

#endif
