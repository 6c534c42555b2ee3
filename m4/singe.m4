# Warnings, sanitizers, fuzzers and coverage as configure options.
AC_DEFUN([AX_SINGE_OPTIONS], [
WARN_CFLAGS="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wimplicit-fallthrough"
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
	[AS_IF([test "$enableval" != no], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])])
AC_SUBST([WARN_CFLAGS])

AC_ARG_ENABLE([sanitize],
	[AS_HELP_STRING([--enable-sanitize@<:@=LIST@:>@], [build with sanitizers (address,undefined)])],
	[AS_CASE([$enableval], [no], [], [yes], [sanitize=address,undefined], [sanitize=$enableval])])
AS_IF([test -n "$sanitize"],
	[SAN_CFLAGS="-fsanitize=$sanitize -fno-sanitize-recover=all -fno-omit-frame-pointer"])
AM_CONDITIONAL([SANITIZE], [test -n "$sanitize"])
AC_SUBST([SAN_CFLAGS])

AC_ARG_ENABLE([fuzzers],
	[AS_HELP_STRING([--enable-fuzzers], [build the fuzz targets with libFuzzer (needs clang)])],
	[AS_IF([test "$enableval" != no], [fuzzers=yes])])
AS_IF([test "$fuzzers" = yes],
	[FUZZ_CFLAGS=-fsanitize=fuzzer-no-link
	 FUZZ_LDFLAGS=-fsanitize=fuzzer])
AM_CONDITIONAL([FUZZERS], [test "$fuzzers" = yes])
AC_SUBST([FUZZ_CFLAGS])
AC_SUBST([FUZZ_LDFLAGS])

AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [build for gcov])],
	[AS_IF([test "$enableval" != no], [COVERAGE_CFLAGS="--coverage -O0"])])
AC_SUBST([COVERAGE_CFLAGS])
])
