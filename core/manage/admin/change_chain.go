package admin

import (
	"bytes"
	"encoding/json"
	"slices"
)

// keepChangedLinks replaces the links of two views of the chain by those that differ, and adds their order if it has changed: whole
// chains are longer than an audit event may be, and a reader would have to look for the difference.
func keepChangedLinks(old, new map[string]json.RawMessage) error {
	before, names, err := splitLinks(old["links"])
	if err != nil {
		return err
	}
	after, namesAfter, err := splitLinks(new["links"])
	if err != nil {
		return err
	}
	for _, v := range []struct {
		fields     map[string]json.RawMessage
		own, other map[string]json.RawMessage
		names      []string
	}{{old, before, after, names}, {new, after, before, namesAfter}} {
		var changed []json.RawMessage
		for _, name := range v.names {
			if !bytes.Equal(v.own[name], v.other[name]) {
				changed = append(changed, v.own[name])
			}
		}
		delete(v.fields, "links")
		if len(changed) > 0 {
			if v.fields["links"], err = json.Marshal(changed); err != nil {
				return err
			}
		}
		if len(names) > 0 && len(namesAfter) > 0 && !slices.Equal(names, namesAfter) {
			if v.fields["order"], err = json.Marshal(v.names); err != nil {
				return err
			}
		}
	}
	return nil
}

// splitLinks returns the links of a chain by name, and their names in order.
func splitLinks(list json.RawMessage) (byName map[string]json.RawMessage, names []string, err error) {
	var links []json.RawMessage
	if list != nil {
		if err := json.Unmarshal(list, &links); err != nil {
			return nil, nil, err
		}
	}
	byName = map[string]json.RawMessage{}
	for _, l := range links {
		var head struct{ Name string }
		if err := json.Unmarshal(l, &head); err != nil {
			return nil, nil, err
		}
		byName[head.Name] = l
		names = append(names, head.Name)
	}
	return byName, names, nil
}
