// Command notebooks sets up Jupyter with the Go kernel and runs the notebooks.
package main

func main() {}
