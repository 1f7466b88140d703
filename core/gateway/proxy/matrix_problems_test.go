package proxy_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// problem is an error body in a client's shape.
type problem struct{ kind, code, message string }

func openAIProblem(t *testing.T, body string, _ int) problem {
	var v struct {
		Error struct{ Type, Code, Message string }
	}
	strictly(t, body, &v)
	return problem{v.Error.Type, v.Error.Code, v.Error.Message}
}

func messagesProblem(t *testing.T, body string, _ int) problem {
	var v struct {
		Type  string
		Error struct{ Type, Message string }
	}
	strictly(t, body, &v)
	require.Equal(t, "error", v.Type)
	return problem{v.Error.Type, "", v.Error.Message}
}

func generateProblem(t *testing.T, body string, status int) problem {
	var v struct {
		Error struct {
			Code            int
			Status, Message string
		}
	}
	strictly(t, body, &v)
	require.Equal(t, status, v.Error.Code, "the error's code is the HTTP status: %s", strconv.Itoa(status))
	return problem{v.Error.Status, "", v.Error.Message}
}
