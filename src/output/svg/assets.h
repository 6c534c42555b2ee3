/* The script (flame.js with moves.js) and the style as strings: written by tools/embed.sh. */
#ifndef OUTPUT_SVG_ASSETS_H
#define OUTPUT_SVG_ASSETS_H

extern const char svg_script[], svg_style[];

#endif
