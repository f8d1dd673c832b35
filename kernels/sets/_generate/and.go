package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The code ANDs words and counts their bits. AVX-512 has an instruction that counts the bits of eight words. With AVX2 the code
// looks up each half byte in a table of 16 (Mula, Kurz and Lemire 2018) and adds up the bytes.

var andForms = []struct {
	name, signature, doc string
	inputs               int
	store                bool
}{
	{"andCount", "func(a, b *uint64, n int) int", "counts the bits of a AND b, n words each.", 2, false},
	{"andInto", "func(dst, a, b *uint64, n int) int", "writes a AND b, n words each, to dst, which may be one of them, and counts its bits.", 2, true},
}

// andFrame holds the registers of one such function.
type andFrame struct {
	inputs []Mem
	dst    Mem
	store  bool
	n      GPVirtual
}

func newAndFrame(inputs int, store bool) *andFrame {
	f := &andFrame{store: store}
	for i := range inputs {
		f.inputs = append(f.inputs, Mem{Base: Load(Param(string(rune('a'+i))), GP64())})
	}
	if store {
		f.dst = Mem{Base: Load(Param("dst"), GP64())}
	}
	f.n = Load(Param("n"), GP64()).(GPVirtual)
	return f
}

func (f *andFrame) advance(bytes int) {
	for _, m := range f.inputs {
		ADDQ(imm(bytes), m.Base)
	}
	if f.store {
		ADDQ(imm(bytes), f.dst.Base)
	}
}

func andKernels512() {
	for _, form := range andForms {
		function(form.name+"512", form.signature, form.doc)
		f := newAndFrame(form.inputs, form.store)
		sums := [2]VecVirtual{ZMM(), ZMM()}
		for _, s := range sums {
			VPXORQ(s, s, s)
		}
		step := func(offset int, sum VecVirtual) {
			z := ZMM()
			VMOVDQU64(f.inputs[0].Offset(offset), z)
			for _, m := range f.inputs[1:] {
				VPANDQ(m.Offset(offset), z, z)
			}
			if f.store {
				VMOVDQU64(z, f.dst.Offset(offset))
			}
			VPOPCNTQ(z, z)
			VPADDQ(z, sum, sum)
		}
		SUBQ(imm(16), f.n)
		JLT(LabelRef("eight"))
		Label("sixteen")
		step(0, sums[0])
		step(64, sums[1])
		f.advance(128)
		SUBQ(imm(16), f.n)
		JGE(LabelRef("sixteen"))
		Label("eight")
		ADDQ(imm(8), f.n)
		JLT(LabelRef("rest"))
		step(0, sums[0])
		f.advance(64)
		SUBQ(imm(8), f.n)
		Label("rest")
		ADDQ(imm(8), f.n)
		JEQ(LabelRef("sum"))
		k, z := lowLanes(f.n), ZMM()
		VMOVDQU64_Z(f.inputs[0], k, z)
		for _, m := range f.inputs[1:] {
			VPANDQ_Z(m, z, k, z)
		}
		if f.store {
			VMOVDQU64(z, k, f.dst)
		}
		VPOPCNTQ(z, z)
		VPADDQ(z, sums[1], sums[1])
		Label("sum")
		VPADDQ(sums[0], sums[1], sums[1])
		y := YMM()
		VEXTRACTI64X4(Imm(1), sums[1], y)
		VPADDQ(y, sums[1].AsY(), y)
		returnSum(y)
	}
}

// lowLanes is a mask of the first n lanes, n in [0, 16].
func lowLanes(n GPVirtual) OpmaskVirtual {
	r, k := GP32(), K()
	MOVL(I32(-1), r)
	BZHIL(n.As32(), r, r)
	KMOVW(r, k)
	return k
}

// returnSum returns the sum of four lanes.
func returnSum(y VecVirtual) {
	x, x2, r := XMM(), XMM(), GP64()
	VEXTRACTI128(Imm(1), y, x)
	VPADDQ(y.AsX(), x, x)
	VPSRLDQ(Imm(8), x, x2)
	VPADDQ(x, x2, x)
	VMOVQ(x, r)
	VZEROUPPER()
	Store(r, ReturnIndex(0))
	RET()
}

func andKernels256() {
	nibbles := GLOBL("nibbleBits", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64([2]uint64{0x0302020102010100, 0x0403030203020201}[i%2]))
	}
	low := GLOBL("nibbleMask", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(0x0f0f0f0f0f0f0f0f))
	}
	for _, form := range andForms {
		function(form.name+"256", form.signature, form.doc)
		f := newAndFrame(form.inputs, form.store)
		table, mask, zero, sum := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(nibbles, table)
		VMOVDQU(low, mask)
		VPXOR(zero, zero, zero)
		VPXOR(sum, sum, sum)
		step := func(offset int) VecVirtual {
			y, high := YMM(), YMM()
			VMOVDQU(f.inputs[0].Offset(offset), y)
			for _, m := range f.inputs[1:] {
				VPAND(m.Offset(offset), y, y)
			}
			if f.store {
				VMOVDQU(y, f.dst.Offset(offset))
			}
			VPSRLW(Imm(4), y, high)
			VPAND(mask, y, y)
			VPAND(mask, high, high)
			VPSHUFB(y, table, y)
			VPSHUFB(high, table, high)
			VPADDB(y, high, high)
			return high // bits by byte, at most 8
		}
		SUBQ(imm(8), f.n)
		JLT(LabelRef("four"))
		Label("eight")
		first, second := step(0), step(32)
		VPADDB(first, second, second)
		VPSADBW(zero, second, second)
		VPADDQ(second, sum, sum)
		f.advance(64)
		SUBQ(imm(8), f.n)
		JGE(LabelRef("eight"))
		Label("four")
		ADDQ(imm(4), f.n)
		JLT(LabelRef("rest"))
		last := step(0)
		VPSADBW(zero, last, last)
		VPADDQ(last, sum, sum)
		f.advance(32)
		SUBQ(imm(4), f.n)
		Label("rest")
		x, x2, total := XMM(), XMM(), GP64()
		VEXTRACTI128(Imm(1), sum, x)
		VPADDQ(sum.AsX(), x, x)
		VPSRLDQ(Imm(8), x, x2)
		VPADDQ(x, x2, x)
		VMOVQ(x, total)
		VZEROUPPER()
		ADDQ(imm(4), f.n)
		JEQ(LabelRef("done"))
		Label("one")
		w := GP64()
		MOVQ(f.inputs[0], w)
		for _, m := range f.inputs[1:] {
			ANDQ(m, w)
		}
		if f.store {
			MOVQ(w, f.dst)
		}
		POPCNTQ(w, w)
		ADDQ(w, total)
		f.advance(8)
		DECQ(f.n)
		JNE(LabelRef("one"))
		Label("done")
		Store(total, ReturnIndex(0))
		RET()
	}
}
