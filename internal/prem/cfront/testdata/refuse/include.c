#include "other.h" // want "other.h"
