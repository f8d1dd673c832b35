//go:build cuda && cgo && linux

package cuda

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"gorgonia.org/cu"
)

// ptx holds the modules, one a source: MODULE.sm_70.ptx for cards from Volta on, MODULE.sm_80.ptx for those from Ampere on.
//
//go:embed ptx/*.ptx
var ptx embed.FS

// function is a kernel, ready to be launched.
type function struct {
	cu.Function
	params []int // bytes of each parameter
	shared int   // bytes of shared memory that a block may have so far
	atOnce int   // blocks that run at once, where they wait for each other; 0: not known
}

// modulesOf tells which file has a kernel, for the cards of one suffix.
var modulesOf = map[string]func() map[string]string{
	"sm_70.ptx": sync.OnceValue(func() map[string]string { return findKernels("sm_70.ptx") }),
	"sm_80.ptx": sync.OnceValue(func() map[string]string { return findKernels("sm_80.ptx") }),
}

func findKernels(suffix string) map[string]string {
	files, _ := ptx.ReadDir("ptx") // it is part of the program
	where := make(map[string]string)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), suffix) {
			continue
		}
		name := path.Join("ptx", f.Name())
		for _, part := range strings.Split(moduleText(name), ".entry ")[1:] {
			kernel, _, _ := strings.Cut(part, "(")
			where[kernel] = name
		}
	}
	return where
}

func moduleText(name string) string {
	text, _ := ptx.ReadFile(name) // it is part of the program
	return string(text)
}

// function returns a kernel by its name. The first one of a module has the driver compile that for the card (the driver keeps
// what it compiled, by card and version, for other processes and later ones).
func (d *Device) function(kernel string) (*function, error) {
	if f, ok := d.functions[kernel]; ok {
		return f, nil
	}
	suffix := "sm_80.ptx"
	if strings.HasPrefix(d.info.Capability, "7.") {
		suffix = "sm_70.ptx"
	}
	file, ok := modulesOf[suffix]()[kernel]
	if !ok {
		return nil, fmt.Errorf("there is no kernel %s", kernel)
	}
	text := moduleText(file)
	module, err := cu.LoadData(text)
	if err != nil {
		return nil, failed("cuModuleLoadData of "+file+" (the driver refuses the kernels)", err)
	}
	for name, params := range entriesOf(text) {
		f, err := module.Function(name)
		if err != nil {
			return nil, failed("cuModuleGetFunction of "+name, err)
		}
		d.functions[name] = &function{Function: f, params: params, shared: withoutAsking}
	}
	return d.functions[kernel], nil
}

var (
	entryPattern = regexp.MustCompile(`(?s)\.entry\s+(\w+)\((.*?)\)`)
	paramPattern = regexp.MustCompile(`\.param\s+\.([a-z]\d+)`)
)

// entriesOf returns the kernels of a module with the sizes of their parameters in bytes.
func entriesOf(ptx string) map[string][]int {
	entries := make(map[string][]int)
	for _, e := range entryPattern.FindAllStringSubmatch(ptx, -1) {
		sizes := []int{}
		for _, p := range paramPattern.FindAllStringSubmatch(e[2], -1) {
			size := 4
			if strings.HasSuffix(p[1], "64") {
				size = 8
			}
			sizes = append(sizes, size)
		}
		entries[e[1]] = sizes
	}
	return entries
}
