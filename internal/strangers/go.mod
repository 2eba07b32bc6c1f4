module example.org/strangers

go 1.24.4

require (
	github.com/robustnmf/robustnmf v0.1.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/cavaliergopher/grab/v3 v3.0.1 // indirect
	github.com/gofrs/flock v0.13.0 // indirect
	golang.org/x/image v0.34.0 // indirect
	golang.org/x/sys v0.39.0 // indirect
	golang.org/x/text v0.32.0 // indirect
)

replace github.com/robustnmf/robustnmf => ../..
