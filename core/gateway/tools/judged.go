package tools

// mostRefused is how many refused definitions of a server are remembered.
const mostRefused = 1024

// NoteJudged remembers what guards have said of the definitions of a list: those of refused must not be called, and those of
// passed may. Names are those of the list, of members too.
func (s *Server) NoteJudged(passed, refused []string) {
	for _, name := range passed {
		if holder, own := s.Holder(name); holder != nil && holder.history != nil {
			if _, was := holder.history.refused.LoadAndDelete(own); was {
				holder.history.refusals.Add(-1)
			}
		}
	}
	for _, name := range refused {
		holder, own := s.Holder(name)
		if holder == nil || holder.history == nil || holder.history.refusals.Load() >= mostRefused {
			continue
		}
		if _, was := holder.history.refused.LoadOrStore(own, true); !was {
			holder.history.refusals.Add(1)
		}
	}
}

// RefusedByGuard reports whether a guard has refused the definition of a tool when it was listed last, as far as this process
// has seen.
func (s *Server) RefusedByGuard(tool string) bool {
	if s.history == nil || s.history.refusals.Load() == 0 {
		return false
	}
	_, refused := s.history.refused.Load(tool)
	return refused
}
