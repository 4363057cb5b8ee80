package gpu

import "github.com/warpbound/warpbound/internal/conf"

// merge puts a file on top of the one it builds on. Keys of tables replace
// those below; units and timing rules replace the one of the same name in its
// place, or are appended. A table that changes a key states its own source.
func merge(below, file *conf.Node, errs *conf.ErrorList) {
	below.Pos = file.Pos
	for _, e := range file.Entries {
		if e.Key == "base" || e.Key == "base_reason" {
			continue
		}
		old := below.Get(e.Key)
		switch {
		case old == nil || old.Kind != e.Value.Kind:
			below.Set(e)
		case e.Value.Kind == conf.Table:
			if e.Value.Get("source") == nil {
				errs.Addf(e.Value.Pos, "no key \"source\" in %s, expected where the numbers changed here come from", e.Key)
			}
			old.Pos = e.Value.Pos
			for _, x := range e.Value.Entries {
				old.Set(x)
			}
		case e.Value.Kind == conf.Array:
			mergeItems(old, e.Value)
		default:
			below.Set(e)
		}
	}
}

func mergeItems(old, list *conf.Node) {
	inherited := len(old.Items)
items:
	for _, item := range list.Items {
		if name := item.Get("name"); name != nil {
			for i, below := range old.Items[:inherited] {
				if n := below.Get("name"); n != nil && n.Text == name.Text {
					old.Items[i] = item
					continue items
				}
			}
		}
		old.Items = append(old.Items, item)
	}
}

// prefixSources puts a reason in front of every source of a tree: why numbers
// of another GPU are used for this one.
func prefixSources(n *conf.Node, reason string) {
	for i := range n.Entries {
		e := &n.Entries[i]
		if e.Key == "source" && e.Value.Kind == conf.String {
			copied := *e.Value
			copied.Text = reason + ": " + copied.Text
			e.Value = &copied
		}
		prefixSources(e.Value, reason)
	}
	for _, item := range n.Items {
		prefixSources(item, reason)
	}
}
