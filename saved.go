package motif

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
)

// SavedQuery is a query that is kept in the store beside the graph, with the types of its parameters.
type SavedQuery = storage.SavedQuery

// SavedParam is a parameter of a saved query. Type is "string", "integer", "float", "boolean", "list" or "map", or "" for any.
type SavedParam = storage.SavedParam

// SaveQuery keeps a query in the store, in place of the one that had its name. Its parameters are those in its text; the
// values in sample say of which types they are, and what is not there may be anything.
func (db *DB) SaveQuery(ctx context.Context, name, text string, sample Params) error {
	end, err := db.begin()
	if err != nil {
		return err
	}
	defer end()
	script, err := lang.Parse(text)
	if err != nil {
		return queryError(err, text)
	}
	q := SavedQuery{Name: name, Text: text}
	for _, stmt := range script.Statements {
		info, err := lang.Check(stmt, nil)
		if err != nil {
			return queryError(err, text)
		}
		for _, p := range info.Parameters {
			if !slices.ContainsFunc(q.Params, func(o SavedParam) bool { return o.Name == p }) {
				q.Params = append(q.Params, SavedParam{Name: p, Type: paramType(sample[p])})
			}
		}
	}
	return db.store.SaveQuery(ctx, q)
}

// SavedQueries lists the saved queries by name.
func (db *DB) SavedQueries(ctx context.Context) ([]SavedQuery, error) {
	end, err := db.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return db.store.Queries(ctx)
}

// ForgetQuery drops a saved query. One that there is not is an error.
func (db *DB) ForgetQuery(ctx context.Context, name string) error {
	end, err := db.begin()
	if err != nil {
		return err
	}
	defer end()
	there, err := db.store.DropQuery(ctx, name)
	if err == nil && !there {
		err = fmt.Errorf("no query is saved as %s", name)
	}
	return err
}

// CheckParams sees that params has all that q needs, of the right types. Others may be there.
func CheckParams(q *SavedQuery, params Params) error {
	for _, p := range q.Params {
		v, ok := params[p.Name]
		if !ok {
			return fmt.Errorf("the saved query %s needs the parameter %s", q.Name, DescribeParam(p))
		}
		if got := paramType(v); p.Type != "" && v != nil && got != p.Type && (p.Type != "float" || got != "integer") {
			return fmt.Errorf("the saved query %s needs the parameter %s, which %v is not", q.Name, DescribeParam(p), v)
		}
	}
	return nil
}

// DescribeParam writes a parameter with its type, such as "$name string".
func DescribeParam(p SavedParam) string {
	if p.Type == "" {
		return "$" + p.Name
	}
	return "$" + p.Name + " " + p.Type
}

// paramType is the type of a parameter's value, "" for null and what has no name here.
func paramType(x any) string {
	v, err := toValue(x)
	if err != nil || v.IsNull() {
		return ""
	}
	name := v.Kind().String()
	if slices.Contains([]string{"string", "integer", "float", "boolean", "list", "map"}, name) {
		return name
	}
	return ""
}
