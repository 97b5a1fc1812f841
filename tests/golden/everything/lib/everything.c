#include "everything.h"
