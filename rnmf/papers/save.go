package papers

import "encoding/gob"

// For rnmf.Result.Save and rnmf.Load.
func init() {
	for _, part := range []any{OGM{}, FGD{}, RRA{}, ProxLinear{}, Orthogonal{}, Additive{}, SmoothL1{}, LogShrink{}, LogSparse{}, UnitLaplacian{}} {
		gob.Register(part)
	}
}
