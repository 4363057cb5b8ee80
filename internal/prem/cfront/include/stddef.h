#ifndef WARPBOUND_STDDEF_H
#define WARPBOUND_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
#endif
