// Package explore does in one call what a person does with data of her own: it decides what the values
// are and how to bring them to one scale, which loss and how many parts, fits from many starts, keeps
// the parts on which these agree, names them, and lists the samples and the entries that do not fit.
// Each decision comes with its reason, and each can be made otherwise by a field of Study.
//
//	s, err := datasets.Open(ctx, "clinic.csv", datasets.OpenOptions{})
//	a, err := explore.Run(ctx, s)
//	fmt.Println(a)               // a page to read
//	err = a.Save("clinic")       // report.html, tables, factors for NumPy and MATLAB, the model
//
// What it decides it decides by package choose, whose functions can be called one by one, and what it
// writes it writes by viz/report.
package explore
