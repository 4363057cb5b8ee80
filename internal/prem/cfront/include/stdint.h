#ifndef WARPBOUND_STDINT_H
#define WARPBOUND_STDINT_H
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#endif
