"""Hot loops in Cython. Each `x.pyx` has an `x.pyi`; the readable module over it is in `formats` or `store`."""
