// What the processor finds instead of CUDA's own: it is in emulate.h.
