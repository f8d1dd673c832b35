// Package shim defines the functions of the CUDA driver that gorgonia.org/cu refers to, and loads the driver when the program
// runs (shim.c). It must be linked into every program that imports the bindings. Builds without the tag cuda have nothing of it.
package shim
