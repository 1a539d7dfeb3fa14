#pragma once
#include "../crt.h"
