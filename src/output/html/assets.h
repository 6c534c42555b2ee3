/* The page's template, style and script as strings, with the SHA-256 of the last two in base64, as
 * a Content-Security-Policy names them: written by tools/embed.sh when the project is built. */
#ifndef OUTPUT_HTML_ASSETS_H
#define OUTPUT_HTML_ASSETS_H

extern const char html_template[];
extern const char html_style[], html_style_sha256[];
extern const char html_script[], html_script_sha256[];

#endif
