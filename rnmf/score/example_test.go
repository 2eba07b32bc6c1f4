package score_test

import (
	"fmt"

	"github.com/robustnmf/robustnmf/rnmf/score"
)

// Numbers of clusters are arbitrary, so scores do not depend on them.
func ExampleNewAgreement() {
	truth := []int{0, 0, 0, 1, 1, 1}
	found := []int{7, 7, 7, 3, 3, 7}
	agreement, err := score.NewAgreement(truth, found)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy %.2f, NMI %.2f\n", agreement.Accuracy, agreement.NMI[score.NMIArithmetic])
	// Output: accuracy 0.83, NMI 0.48
}
