package llm

import "slices"

// movedImage stands in a result that had nothing but images.
const movedImage = "The result is the image in the next message."

func isImage(p Part) bool { return p.Kind == ImagePart }

// moveImages takes the images out of tool results. They follow in a user message
// after the last result of the turn: a message between results would part a call
// from its result.
func moveImages(from []Message) []Message {
	to := make([]Message, 0, len(from)+1)
	var moved []Part
	for _, m := range from {
		if m.Role != ToolRole && len(moved) > 0 {
			to, moved = append(to, Message{Role: User, Parts: moved}), nil
		}
		if m.Role == ToolRole {
			m.Parts, moved = removeImages(m.Parts, moved)
		}
		to = append(to, m)
	}
	if len(moved) > 0 {
		to = append(to, Message{Role: User, Parts: moved})
	}
	return to
}

func removeImages(from, moved []Part) (parts, images []Part) {
	parts = slices.Clone(from)
	for i := range parts {
		p := &parts[i]
		if p.Kind != ResultPart || !slices.ContainsFunc(p.Result.Parts, isImage) {
			continue
		}
		r := *p.Result
		r.Parts = nil
		for _, q := range p.Result.Parts {
			if q.Kind == ImagePart {
				moved = append(moved, q)
			} else {
				r.Parts = append(r.Parts, q)
			}
		}
		if len(r.Parts) == 0 {
			r.Parts = []Part{NewText(movedImage)}
		}
		p.Result = &r
	}
	return parts, moved
}
