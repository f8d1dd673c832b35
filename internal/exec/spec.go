package exec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// Errors of specs.
var (
	ErrOtherSnapshot = errors.New("the job belongs to another graph")
	ErrOtherPlan     = errors.New("another version of Motif made the job")
)

// Spec is what another process must know of a Division beside the graph. It travels as JSON.
type Spec struct {
	Motif    string            `json:"motif"`    // the version of planner and kernels
	Snapshot string            `json:"snapshot"` // the hash of the graph's content
	Plan     string            `json:"plan"`     // a hash of the plan's operators
	Query    string            `json:"query"`
	Params   map[string][]byte `json:"params,omitempty"` // encoded values
	Now      time.Time         `json:"now"`              // what datetime() is in all units
	Scheme   *pattern.Scheme   `json:"scheme"`
}

// unitsVersion changes when units of the same query would be divided or counted otherwise.
const unitsVersion = "7"

// kernelVersion names the version of planner and kernels.
func kernelVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unitsVersion
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/motifql/motif" {
			return unitsVersion + " " + m.Version
		}
	}
	return unitsVersion
}

// NewSpec begins the spec of a query, for this version of planner and kernels and this moment.
func NewSpec(query string) *Spec {
	return &Spec{Motif: kernelVersion(), Query: query, Now: time.Now().UTC()}
}

// ReadSpec reads what Encode has written, and returns the parameters of the query, too. It fails with ErrOtherPlan if another version of planner
// and kernels made the spec.
func ReadSpec(text []byte) (*Spec, map[string]value.Value, error) {
	s := new(Spec)
	if err := json.Unmarshal(text, s); err != nil || s.Scheme == nil || s.Scheme.Divisor == 0 {
		return nil, nil, errors.Join(errors.New("this is not the spec of a job"), err)
	}
	if s.Motif != kernelVersion() {
		return nil, nil, fmt.Errorf("%w: version %q made it, and this is %q; use one version for all units", ErrOtherPlan, s.Motif, kernelVersion())
	}
	params := map[string]value.Value{}
	for name, code := range s.Params {
		v, err := value.Decode(string(code))
		if err != nil {
			return nil, nil, fmt.Errorf("the parameter %s in the spec of a job: %w", name, err)
		}
		params[name] = v
	}
	return s, params, nil
}

// ForSnapshot notes the hash of the graph's content. It fails with ErrOtherSnapshot if the spec has another hash already.
func (s *Spec) ForSnapshot(content [sha256.Size]byte) error {
	hash := hex.EncodeToString(content[:])
	if s.Snapshot != "" && s.Snapshot != hash {
		return fmt.Errorf("%w: the hash of its content is %.12s, and here it is %.12s; give every process a copy of one store", ErrOtherSnapshot, s.Snapshot, hash)
	}
	s.Snapshot = hash
	return nil
}

// ForPlan notes what the operators of the plan do. It fails with ErrOtherPlan if the spec has a plan of other operators.
func (s *Spec) ForPlan(p *planner.Plan) error {
	hash := p.Hash()
	if s.Plan != "" && s.Plan != hash {
		return fmt.Errorf("%w: its plan has other operators than the plan here", ErrOtherPlan)
	}
	s.Plan = hash
	return nil
}

// Encode writes the spec with the parameters of the query, and with how they are divided.
func (s *Spec) Encode(params map[string]value.Value, scheme *pattern.Scheme) (text []byte, err error) {
	s.Scheme, s.Params = scheme, map[string][]byte{}
	for name, v := range params {
		if s.Params[name], err = value.Append(nil, v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s)
}
