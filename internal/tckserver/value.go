package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/motifql/motif"
)

// encode writes a value of a result as the protocol spells it.
func encode(x any) any {
	switch x := x.(type) {
	case nil, bool, int64, string:
		return x
	case float64:
		return map[string]any{"@": "float", "v": floatText(x)}
	case []any:
		list := make([]any, len(x))
		for i, e := range x {
			list[i] = encode(e)
		}
		return list
	case map[string]any:
		return map[string]any{"@": "map", "v": encodeMap(x)}
	case motif.Node:
		return encodeNode(x)
	case motif.Relationship:
		return encodeRel(x)
	case motif.Path:
		nodes, rels := []any{}, []any{}
		for _, n := range x.Nodes {
			nodes = append(nodes, encodeNode(n))
		}
		for _, r := range x.Relationships {
			rels = append(rels, encodeRel(r))
		}
		return map[string]any{"@": "path", "nodes": nodes, "rels": rels}
	}
	return map[string]any{"@": "temporal", "v": fmt.Sprint(x)}
}

func encodeMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = encode(v)
	}
	return out
}

func encodeNode(n motif.Node) any {
	return map[string]any{"@": "node", "id": n.ID, "labels": append([]string{}, n.Labels...), "props": encodeMap(n.Props)}
}

func encodeRel(r motif.Relationship) any {
	return map[string]any{"@": "rel", "id": r.ID, "type": r.Type, "start": r.Start, "end": r.End, "props": encodeMap(r.Props)}
}

// floatText writes f. The kit expects RETURN -0.0 to be 0.0, because its own runner compares floats as numbers; tckrun compares texts.
func floatText(f float64) string {
	if f == 0 {
		return "0"
	}
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// decode reads a parameter: a number without point and exponent is an integer.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return nil, err
	}
	return plain(x)
}

func plain(x any) (any, error) {
	switch x := x.(type) {
	case json.Number:
		if !strings.ContainsAny(x.String(), ".eE") {
			if n, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
				return n, nil
			}
		}
		return x.Float64()
	case []any:
		list := make([]any, len(x))
		for i, e := range x {
			v, err := plain(e)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case map[string]any:
		return plainMap(x)
	}
	return x, nil
}

// plainMap reads an object: a map, or with the key "@" a value that says what it is.
func plainMap(m map[string]any) (any, error) {
	switch m["@"] {
	case "float":
		return strconv.ParseFloat(fmt.Sprint(m["v"]), 64)
	case "int":
		return strconv.ParseInt(fmt.Sprint(m["v"]), 10, 64)
	case "map":
		inner, _ := m["v"].(map[string]any)
		m = inner
	case nil:
	default:
		return nil, fmt.Errorf("a parameter of kind %v", m["@"])
	}
	out := make(map[string]any, len(m))
	for k, e := range m {
		v, err := plain(e)
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}
