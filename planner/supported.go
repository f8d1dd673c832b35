package planner

import "github.com/motifql/motif/lang"

func notYet(what string, pos lang.Pos) error {
	return &lang.Error{Code: "SyntaxError.NotSupported", Msg: what + " is not supported yet", Pos: pos}
}
