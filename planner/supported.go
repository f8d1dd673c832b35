package planner

import "github.com/motifql/motif/lang"

func notYet(what string, pos lang.Pos) error {
	return &lang.Error{Code: "SyntaxError.NotSupported", Msg: what + " is not supported yet", Pos: pos}
}

// supportedPath refuses what the planner does not run yet.
func supportedPath(p *lang.PathPattern) error {
	if p.Mode != lang.NoPathMode || p.Selector.Kind != lang.AllPaths || p.Function != lang.NoPathFunction {
		return notYet("a path with a mode or a selector", p.Pos)
	}
	for _, r := range p.Rels {
		if r.Length != nil || r.Group != nil || r.TypeExpr != nil {
			return notYet("a path of variable length, or an operator between types", r.Pos)
		}
	}
	return nil
}
