package sets

import "math/bits"

// The twins of the assembly in asm_amd64.s.

// andCountTwin is AndCount.
func andCountTwin(a, b []uint64) (n int) {
	for i, x := range a {
		n += bits.OnesCount64(x & b[i])
	}
	return n
}

// andIntoTwin is AndInto.
func andIntoTwin(dst, a, b []uint64) (n int) {
	for i, x := range a {
		x &= b[i]
		dst[i] = x
		n += bits.OnesCount64(x)
	}
	return n
}

// mergeInto writes the intersection of the rising lists a and b to dst and returns its size.
func mergeInto[T ~uint32](dst, a, b []T) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			dst[n] = x
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}

// mergeCount returns the size of the intersection of the rising lists a and b.
func mergeCount[T ~uint32](a, b []T) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}

// gallopIntoTwin writes the intersection of the short list a with b to dst and returns its size.
func gallopIntoTwin[T ~uint32](dst, a, b []T) int {
	n := 0
	for _, x := range a {
		b = b[Gallop(b, x):]
		if len(b) == 0 {
			break
		}
		if b[0] == x {
			dst[n] = x
			n++
		}
	}
	return n
}

// gallopCountTwin returns the size of the intersection of the short list a with b.
func gallopCountTwin[T ~uint32](a, b []T) int {
	n := 0
	for _, x := range a {
		b = b[Gallop(b, x):]
		if len(b) == 0 {
			break
		}
		if b[0] == x {
			n++
		}
	}
	return n
}

// filterMarkedTwin writes the values of list whose bit is set to dst, of the same length, and returns how many they are.
func filterMarkedTwin[T ~uint32](dst, list []T, bitmap []uint64, base T) (n int) {
	for _, v := range list {
		dst[n] = v
		v -= base
		n += int(bitmap[v>>6] >> (v & 63) & 1)
	}
	return n
}

// placesMarkedTwin writes the positions in list of the values whose bit is set to dst, of the same length, and returns how
// many they are.
func placesMarkedTwin(dst, list []uint32, bitmap []uint64) (n int) {
	for i, v := range list {
		dst[n] = uint32(i)
		n += int(bitmap[v>>6] >> (v & 63) & 1)
	}
	return n
}

// countMarkedTwin returns how many values of list have their bit set.
func countMarkedTwin[T ~uint32](list []T, bitmap []uint64, base T) int {
	n := uint64(0)
	for _, v := range list {
		v -= base
		n += bitmap[v>>6] >> (v & 63) & 1
	}
	return int(n)
}
