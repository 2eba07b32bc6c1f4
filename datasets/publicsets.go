package datasets

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// The checksums below are those of archives that several independent projects
// record; for semeion.data and pendigits.* they were computed from the files as
// well. Where there is none, no such agreement was found, and only the content
// is checked after a download.

const (
	megabyte = 1 << 20
	// dengCai offers the 32×32 matrices that papers on clustering use.
	dengCai  = "http://www.cad.zju.edu.cn/home/dengcai/Data/"
	columbia = "https://www.cs.columbia.edu/CAVE/databases/SLAM_coil-20_coil-100/"
	uci      = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
	roweis   = "https://cs.nyu.edu/~roweis/data/"
)

const (
	creditORL  = "AT&T Laboratories Cambridge (Olivetti Research Laboratory); free to use with this credit"
	creditCOIL = "Nene, Nayar, Murase: Columbia Object Image Library (1996), Columbia University; for non-commercial research"
	creditAR   = "Martinez, Benavente: The AR face database, CVC Technical Report 24 (1998); for research, by consent"
	homeAR     = "https://www2.ece.ohio-state.edu/~aleix/ARdatabase.html"
	homeORL    = "https://cam-orl.co.uk/facedatabase.html"
	homeCai    = dengCai + "FaceData.html"
)

var remoteUMIST = []remote{{name: "umist_cropped.mat", urls: []string{roweis + "umist_cropped.mat"}, limit: 32 * megabyte}}

var (
	remoteORL = []remote{{
		name:  "att_faces.zip",
		urls:  []string{"https://www.cl.cam.ac.uk/Research/DTG/attarchive/pub/data/att_faces.zip"},
		limit: 16 * megabyte,
	}}
	filesORL = [][]string{{
		"ORL_faces.tar.gz", "att_faces.zip", "orl_faces.zip", "ORL_faces/", "orl_faces/", "att_faces/", "ORL/",
	}}
)

// ORL holds faces: 1024 pixels (32×32) × 400 samples of 40 persons, 0..255.
//
// Load prefers ORL_32x32.mat, cropped by Deng Cai, which is what papers on
// clustering use; if there is none, it shrinks the original images of 112×92,
// which show more of the surroundings and become squarer than they are: the
// name of the set tells which. Download fetches the originals.
var ORL = &PublicSet{
	Name:   "ORL",
	Credit: creditORL,
	Home:   homeORL,
	forms: []form{
		{files: [][]string{{"ORL_32x32.mat"}}, samples: 400, classes: 40, read: matReader("ORL 32×32", square(32))},
		{files: filesORL, samples: 400, classes: 40,
			read: imageReader("ORL, shrunk from 112×92", 32, 32, `(s[0-9]+)/[0-9]+\.pgm$`)},
	},
	remote: remoteORL,
}

// ORLOriginal holds the faces of ORL as they were taken: 10304 pixels
// (112×92) × 400 samples of 40 persons, 0..255. The L2,1-NMF paper has them at
// half that size: Shrink(56, 46).
var ORLOriginal = &PublicSet{
	Name:   "ORLOriginal",
	folder: "ORL",
	Credit: creditORL,
	Home:   homeORL,
	forms: []form{{files: filesORL, samples: 400, classes: 40,
		read: imageReader("ORL 112×92", 0, 0, `(s[0-9]+)/[0-9]+\.pgm$`)}},
	remote: remoteORL,
}

// Yale holds faces: 1024 pixels (32×32) × 165 samples of 15 persons, 0..255,
// as cropped by Deng Cai.
var Yale = &PublicSet{
	Name:   "Yale",
	Credit: "Yale Face Database, Yale University (Belhumeur, Hespanha, Kriegman), cropped by Deng Cai; for research, with this credit; not to be put into a larger public database without permission",
	Home:   homeCai,
	forms: []form{{files: [][]string{{"Yale_32x32.mat"}}, samples: 165, classes: 15,
		read: matReader("Yale 32×32", square(32))}},
	remote: []remote{{name: "Yale_32x32.mat", urls: []string{dengCai + "Yale/Yale_32x32.mat"}, limit: 8 * megabyte}},
}

// ExtendedYaleB holds faces: 1024 pixels (32×32) × 2414 samples of 38 persons,
// under 64 lights, 0..255: YaleB_32x32.mat by Deng Cai or, if there is none,
// the cropped images of 192×168 (a folder CroppedYale), shrunk and without
// those named Ambient.
var ExtendedYaleB = &PublicSet{
	Name:   "ExtendedYaleB",
	Credit: "Extended Yale Face Database B (Georghiades, Belhumeur, Kriegman; Lee, Ho, Kriegman), Yale University and UCSD; for research, with this credit",
	Home:   homeCai,
	forms: []form{
		{files: [][]string{{"YaleB_32x32.mat"}}, samples: 2414, classes: 38, read: matReader("Extended Yale B 32×32", square(32))},
		{files: [][]string{{"CroppedYale/", "CroppedYale.zip"}}, samples: 2414, classes: 38,
			read: imageReader("Extended Yale B, shrunk from 192×168", 32, 32, `(yaleB[0-9]+)_P00A[^/]*E[+-][0-9]+\.pgm$`)},
	},
	remote: []remote{{name: "YaleB_32x32.mat", urls: []string{dengCai + "YaleB/YaleB_32x32.mat"}, limit: 32 * megabyte}},
}

// COIL20 holds images of 20 objects on a turntable: 1024 pixels (32×32) × 1440
// samples. COIL20.mat by Deng Cai, which papers use, has values in 0..1; other
// files of that name, COIL20_uint8.mat and the processed images of 128×128 from
// Columbia, which are shrunk and which Download fetches, have 0..255.
var COIL20 = &PublicSet{
	Name:   "COIL20",
	Credit: creditCOIL,
	Home:   "https://www.cs.columbia.edu/CAVE/software/softlib/coil-20.php",
	forms: []form{
		{files: [][]string{{"COIL20.mat", "COIL20_uint8.mat"}}, samples: 1440, classes: 20, read: matReader("COIL-20 32×32", square(32))},
		{files: [][]string{{"coil-20-proc.zip", "coil-20-proc/"}}, samples: 1440, classes: 20,
			read: imageReader("COIL-20, shrunk from 128×128", 32, 32, `obj([0-9]+)__[0-9]+\.png$`)},
	},
	remote: []remote{{
		name:   "coil-20-proc.zip",
		urls:   []string{columbia + "coil-20/coil-20-proc.zip"},
		sha256: "517c5594820eb40066ba0ff6842e7f09392bf7fde849bf9cb9c28445b0f29e88",
		limit:  64 * megabyte,
	}},
}

// COIL100 holds images of 100 objects on a turntable: 1024 pixels (32×32) ×
// 7200 samples: COIL100.mat by Deng Cai or, if there is none, the images of
// 128×128 from Columbia, in grey and shrunk, with values in 0..255; Download
// fetches the latter (125 MB).
var COIL100 = &PublicSet{
	Name:   "COIL100",
	Credit: creditCOIL,
	Home:   "https://www.cs.columbia.edu/CAVE/software/softlib/coil-100.php",
	forms: []form{
		{files: [][]string{{"COIL100.mat"}}, samples: 7200, classes: 100, read: matReader("COIL-100 32×32", square(32))},
		{files: [][]string{{"coil-100.zip", "coil-100/"}}, samples: 7200, classes: 100,
			read: imageReader("COIL-100, shrunk from 128×128", 32, 32, `obj([0-9]+)__[0-9]+\.png$`)},
	},
	remote: []remote{{name: "coil-100.zip", urls: []string{columbia + "coil-100/coil-100.zip"}, limit: 256 * megabyte}},
}

// Semeion holds handwritten digits: 256 binary pixels (16×16) × 1593 samples.
var Semeion = &PublicSet{
	Name:   "Semeion",
	Credit: "Semeion Research Center and Tattile: Semeion Handwritten Digit, UCI Machine Learning Repository, doi:10.24432/C5SC8V, CC BY 4.0",
	Home:   "https://archive.ics.uci.edu/dataset/178/semeion+handwritten+digit",
	forms:  []form{{files: [][]string{{"semeion.data"}}, samples: 1593, classes: 10, read: one(ReadSemeion)}},
	remote: []remote{{
		name:   "semeion.data",
		urls:   []string{uci + "semeion/semeion.data"},
		sha256: "f43228ae3da5ea6a3c95069d53450b86166770e3b719dcc333182128fe08d4b1",
		size:   2889702,
	}},
}

// Pendigits holds pen strokes of digits: 16 features (8 points x, y in 0..100)
// × 10992 samples, the 7494 for training before the 3498 for testing.
var Pendigits = &PublicSet{
	Name:   "Pendigits",
	Credit: "Alpaydin, Alimoglu: Pen-Based Recognition of Handwritten Digits (1996), UCI Machine Learning Repository, doi:10.24432/C5MG6K, CC BY 4.0",
	Home:   "https://archive.ics.uci.edu/dataset/81/pen+based+recognition+of+handwritten+digits",
	forms: []form{{files: [][]string{{"pendigits.tra"}, {"pendigits.tes"}}, samples: 10992, classes: 10,
		read: readPendigits}},
	remote: []remote{
		{
			name:   "pendigits.tra",
			urls:   []string{uci + "pendigits/pendigits.tra"},
			sha256: "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3",
			size:   502098,
		},
		{
			name:   "pendigits.tes",
			urls:   []string{uci + "pendigits/pendigits.tes"},
			sha256: "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015",
			size:   234366,
		},
	},
}

// BinaryAlphadigits holds handwritten digits and capital letters: 320 binary
// pixels (20×16) × 1404 samples of 36 classes.
var BinaryAlphadigits = &PublicSet{
	Name:   "BinaryAlphadigits",
	Credit: "Binary Alphadigits, from the data page of Sam Roweis (New York University); no licence stated",
	Home:   "https://cs.nyu.edu/~roweis/data.html",
	forms: []form{{files: [][]string{{"binaryalphadigs.mat", "binaryalphadigs_fea.mat"}}, samples: 1404, classes: 36,
		read: readAlphadigits}},
	remote: []remote{{name: "binaryalphadigs.mat", urls: []string{roweis + "binaryalphadigs.mat"}, limit: 8 * megabyte}},
}

// UMIST holds faces from profile to front: 10304 pixels (112×92) × 575 samples
// of 20 persons, 0..255, as cropped by Daniel Graham; or, if umist_cropped.mat is
// not there, 1024 pixels (32×32) of UMIST.mat, in which the faces are squarer than
// they are: the name of the set tells which.
var UMIST = &PublicSet{
	Name:   "UMIST",
	Credit: creditUMIST,
	Home:   "https://cs.nyu.edu/~roweis/data.html",
	forms: []form{
		{files: [][]string{{"umist_cropped.mat"}}, samples: 575, classes: 20,
			read: matReader("UMIST 112×92", MATLayout{X: "facedat"})},
		{files: [][]string{{"UMIST.mat"}}, samples: 575, classes: 20, read: matReader("UMIST 32×32", square(32))},
	},
	remote: remoteUMIST,
}

// UMISTSmall holds the faces of UMIST at the size that the L2,1-NMF paper has: 644
// pixels (28×23) × 575 samples of 20 persons, 0..255. Where UMIST_28x23.mat is not
// there, it shrinks those of 112×92, which Download fetches.
var UMISTSmall = &PublicSet{
	Name:   "UMISTSmall",
	folder: "UMIST",
	Credit: creditUMIST,
	Home:   "https://cs.nyu.edu/~roweis/data.html",
	forms: []form{
		{files: [][]string{{"UMIST_28x23.mat"}}, samples: 575, classes: 20,
			read: matReader("UMIST 28×23", MATLayout{Columns: true, Height: 28, Width: 23})},
		{files: [][]string{{"umist_cropped.mat"}}, samples: 575, classes: 20, read: readUMISTSmall},
	},
	remote: remoteUMIST,
}

// MNIST holds the handwritten digits for training: 784 pixels (28×28) × 60000
// samples, 0..255. It takes 376 MB of memory: see Set.Sample.
var MNIST = &PublicSet{
	Name:   "MNIST",
	Credit: creditMNIST,
	Home:   homeMNIST,
	forms:  mnistForm("MNIST, training", "train", 60000, 5923),
	remote: []remote{
		mnistFile("train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", 9912422),
		mnistFile("train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c", 28881),
	},
}

// MNISTTest holds the handwritten digits for testing: 784 pixels (28×28) ×
// 10000 samples, 0..255.
var MNISTTest = &PublicSet{
	Name:   "MNISTTest",
	folder: "MNIST",
	Credit: creditMNIST,
	Home:   homeMNIST,
	forms:  mnistForm("MNIST, test", "t10k", 10000, 980),
	remote: []remote{
		mnistFile("t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", 1648877),
		mnistFile("t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6", 4542),
	},
}

// GeorgiaTech holds faces: 750 samples of 50 persons, in grey, 0..255. The faces
// alone, 1200 pixels (40×30), come from GT_40x30.zip, whose images GT/1.jpg to
// GT/750.jpg are numbered person by person; if it is not there, the photographs
// with their surroundings give 3072 pixels (48×64, shrunk from 480×640): the name
// of the set tells which. Download fetches the photographs (133 MB).
var GeorgiaTech = &PublicSet{
	Name:   "GeorgiaTech",
	Credit: "Georgia Tech face database (Ara Nefian); no terms known to us",
	Home:   "https://www.anefian.com/research/face_reco.htm",
	forms: []form{
		{files: [][]string{{"GT_40x30.zip"}}, samples: 750, classes: 50, read: readGeorgiaTech},
		{files: [][]string{{"gt_db.zip", "gt_db/"}}, samples: 750, classes: 50,
			read: imageReader("Georgia Tech, shrunk from 480×640", 48, 64, `(s[0-9]+)/[0-9]+\.jpg$`)},
	},
	remote: []remote{{
		name:   "gt_db.zip",
		urls:   []string{"https://www.anefian.com/research/gt_db.zip"},
		sha256: "2c4e379ef7c3cc5580eb409673a1e6eb75c5e5a7efd9bf3beb1de8059e835cbf",
		size:   133192489,
	}},
}

// CMUPIE holds faces: 1024 pixels (32×32) of 68 persons, as cropped by Deng
// Cai: 2856 samples of the frontal pose in PIE_pose27.mat or, if there is none,
// 11554 samples of five poses in PIE_32x32.mat.
var CMUPIE = &PublicSet{
	Name:   "CMUPIE",
	Credit: "Sim, Baker, Bsat: CMU Pose, Illumination, and Expression database, Carnegie Mellon University; for research, by agreement",
	Home:   homeCai,
	forms: []form{
		{files: [][]string{{"PIE_pose27.mat"}}, samples: 2856, classes: 68, read: matReader("CMU PIE 32×32, pose 27", square(32))},
		{files: [][]string{{"PIE_32x32.mat"}}, samples: 11554, classes: 68, read: matReader("CMU PIE 32×32", square(32))},
	},
	ask: "sign the agreement of Carnegie Mellon University; the cropped matrices are on a page of Deng Cai",
}

// AR holds faces, many behind sunglasses or a scarf: 2200 pixels (55×40) × 2600
// samples of 100 persons, in grey, 0..255, from the cropped images of 165×120
// (m-001-01.bmp to w-050-26.bmp), or a matrix of that size with variables fea
// and gnd.
var AR = &PublicSet{
	Name:   "AR",
	Credit: creditAR,
	Home:   homeAR,
	forms: []form{
		{files: [][]string{{"AR_55x40.mat"}}, read: matReader("AR 55×40", MATLayout{Height: 55, Width: 40})},
		{files: [][]string{{"AR/", "AR.zip", "test_AR_database_cropped.zip"}}, samples: 2600, classes: 100,
			read: imageReader("AR, shrunk from 165×120", 55, 40, `([mwMW]-[0-9]+)-[0-9]+\.(bmp|png|jpg|ppm|pgm|tif)$`)},
	},
	ask: "ask Aleix Martinez, Ohio State University, for the cropped images",
}

// AR10P holds faces of ten persons of AR, thirteen images of one session each: 2400
// pixels (60×40) × 130 samples, 0..255. Images 1 to 4 of a person show expressions, 5
// to 7 strong light, 8 to 10 sunglasses, and 11 to 13 a scarf. The file is
// AR10P_60x40.mat, or warpAR10P.mat as papers on the selection of features name it.
var AR10P = &PublicSet{
	Name:   "AR10P",
	Credit: creditAR,
	Home:   homeAR,
	forms: []form{{files: [][]string{{"AR10P_60x40.mat", "warpAR10P.mat"}}, samples: 130, classes: 10,
		read: matReader("AR 60×40, ten persons", MATLayout{Height: 60, Width: 40})}},
	ask: "ask Aleix Martinez, Ohio State University; the matrix of ten persons is known as warpAR10P",
}

// JAFFE holds faces of ten women with seven expressions: 1024 pixels (32×32) × 213
// samples, 0..255, classed by person. They come from JAFFE_32x32.mat, in which the
// pixels of an image go row by row; from the photographs of 256×256, which are shrunk;
// or from the matrix of 26×26 that papers on multiple kernels use, which is read column
// by column, though its orientation could not be checked. The name of the set tells which.
var JAFFE = &PublicSet{
	Name:   "JAFFE",
	Credit: "Lyons, Kamachi, Gyoba: The Japanese Female Facial Expression (JAFFE) database (1998), doi:10.5281/zenodo.3451524; for research, by consent",
	Home:   "https://zenodo.org/record/3451524",
	forms: []form{
		{files: [][]string{{"JAFFE_32x32.mat"}}, samples: 213, classes: 10,
			read: matReader("JAFFE 32×32", MATLayout{Height: 32, Width: 32, Raster: true})},
		{files: [][]string{{"jaffe/", "jaffedbase/", "JAFFE/", "jaffe.zip", "jaffedbase.zip"}}, samples: 213, classes: 10,
			read: imageReader("JAFFE, shrunk from 256×256", 32, 32, `([A-Z][A-Z])\.[A-Z][A-Z][0-9]?\.[0-9]+\.(tiff?|png|jpg|bmp|pgm)$`)},
		{files: [][]string{{"jaffe_213n_676d_10c.mat", "jaffe_213n_676d_10c_uni.mat"}}, samples: 213, classes: 10,
			read: matReader("JAFFE 26×26", MATLayout{X: "X", Labels: "y", Height: 26, Width: 26})},
	},
	ask: "request access on its page",
}

// Palm holds palmprints: 256 pixels (16×16) × 2000 samples of 100 palms, 20 of each,
// 0..255, from Palm_16x16.mat or Palm.mat. That file has values a little below 0 and above 255,
// which shrinking the images by interpolation has left; they are set to 0 and 255, and
// the Notes of the set count them.
var Palm = &PublicSet{
	Name:   "Palm",
	Credit: "palmprints of 100 palms as papers on clustering have them; owner and terms not known to us",
	Home:   "https://github.com/hyzhang98/AdaGAE",
	forms:  []form{{files: [][]string{{"Palm_16x16.mat", "Palm.mat"}}, samples: 2000, classes: 100, read: readPalm}},
	ask:    "ask the authors of a paper that uses it, as those of AdaGAE",
}

// German holds applicants for credit in the numbers of german.data-numeric: 24
// features, 0..184, × 1000 samples, 700 of class 1 (good) and 300 of class 2.
var German = &PublicSet{
	Name:   "German",
	Credit: "Hofmann: Statlog (German Credit Data), UCI Machine Learning Repository, doi:10.24432/C5NC77, CC BY 4.0",
	Home:   "https://archive.ics.uci.edu/dataset/144/statlog+german+credit+data",
	forms: []form{{files: [][]string{{"german.data-numeric"}}, samples: 1000, classes: 2,
		read: csvReader("German credit", CSVLayout{Separator: ' ', Header: NoHeader, Label: "-1"})}},
	remote: []remote{{name: "german.data-numeric", urls: []string{uci + "statlog/german/german.data-numeric"}, limit: megabyte}},
}

// Vehicle holds silhouettes of four kinds of vehicles: 18 features, 0..1018, × 846
// samples: vehicle.csv, a table with a header whose last column is the class, or the
// nine files xaa.dat to xai.dat of the UCI repository, which Download fetches.
var Vehicle = &PublicSet{
	Name:   "Vehicle",
	Credit: "Mowforth, Shepherd: Statlog (Vehicle Silhouettes), Turing Institute, Glasgow; UCI Machine Learning Repository, doi:10.24432/C5HG6H, CC BY 4.0",
	Home:   "https://archive.ics.uci.edu/dataset/149/statlog+vehicle+silhouettes",
	forms: []form{
		{files: [][]string{{"vehicle.csv"}}, samples: 846, classes: 4,
			read: csvReader("Vehicle", CSVLayout{Separator: ',', Header: WithHeader, Label: "-1"})},
		{files: vehicleFiles(), samples: 846, classes: 4,
			read: csvReader("Vehicle", CSVLayout{Separator: ' ', Header: NoHeader, Label: "-1"})},
	},
	remote: vehicleRemote(),
}

// AutoMPG holds cars: 7 features × 398 samples, classed by their origin, 1 (America),
// 2 (Europe) and 3 (Japan). Six samples lack the horsepower, which is NaN: see Known.
var AutoMPG = &PublicSet{
	Name:   "AutoMPG",
	Credit: "Quinlan: Auto MPG, from StatLib, Carnegie Mellon University; UCI Machine Learning Repository, doi:10.24432/C5859H, CC BY 4.0",
	Home:   "https://archive.ics.uci.edu/dataset/9/auto+mpg",
	forms: []form{{files: [][]string{{"auto-mpg.data"}}, samples: 398, classes: 3,
		read: readAutoMPG}},
	remote: []remote{{name: "auto-mpg.data", urls: []string{uci + "auto-mpg/auto-mpg.data"}, limit: megabyte}},
}

const (
	creditUMIST = "Graham, Allinson: UMIST (Sheffield) face database, from the data page of Sam Roweis (New York University); for research"
	creditMNIST = "LeCun, Cortes, Burges: The MNIST database of handwritten digits; no licence known to us"
	homeMNIST   = "http://yann.lecun.com/exdb/mnist/"
)

func mnistFile(name, sum string, size int64) remote {
	return remote{
		name: name,
		urls: []string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
			"https://storage.googleapis.com/cvdf-datasets/mnist/" + name,
		},
		sha256: sum,
		size:   size,
	}
}

func mnistForm(name, part string, samples, zeros int) []form {
	names := func(what, idx string) []string {
		name := part + "-" + what + "-" + idx
		return []string{name + ".gz", name, part + "-" + what + "." + idx, "raw/" + name}
	}
	return []form{{
		files:   [][]string{names("images", "idx3-ubyte"), names("labels", "idx1-ubyte")},
		samples: samples,
		classes: 10,
		read: func(ctx context.Context, paths []string) (*Set, error) {
			s, err := reading(ctx, paths[0], func(ctx context.Context, images io.Reader) (*Set, error) {
				return reading(ctx, paths[1], func(ctx context.Context, labels io.Reader) (*Set, error) { return ReadIDXSet(ctx, images, labels) })
			})
			if err != nil {
				return nil, err
			}
			// Fashion-MNIST and others have the same file names and sizes.
			n := 0
			for _, l := range s.Labels {
				if l == 0 {
					n++
				}
			}
			if n != zeros {
				return nil, fmt.Errorf("%w: %d zeros, where MNIST has %d: another set with the same file names", ErrContent, n, zeros)
			}
			s.Name, s.Max = name, 255
			return s, nil
		},
	}}
}

func square(side int) MATLayout { return MATLayout{Height: side, Width: side} }

// matReader reads a MAT file of images with values in 0..1 or 0..255.
func matReader(name string, l MATLayout) func(context.Context, []string) (*Set, error) {
	return func(ctx context.Context, paths []string) (*Set, error) {
		f, err := reading(ctx, paths[0], ReadMAT)
		if err != nil {
			return nil, err
		}
		s, err := f.Set(l)
		if err != nil {
			return nil, err
		}
		s.Name = name
		s.Max = 255
		if mat.Max(s.X) <= 1 {
			s.Max = 1
		}
		return s, nil
	}
}

// imageReader reads a folder or an archive of images, shrunk to a size if that
// is not 0. The pattern tells the end of the path of those to be read; its
// first group is the class.
func imageReader(name string, height, width int, pattern string) func(context.Context, []string) (*Set, error) {
	match := regexp.MustCompile(`(?:^|/)` + pattern)
	return func(ctx context.Context, paths []string) (*Set, error) {
		s, err := OpenImages(ctx, paths[0], ImageLayout{
			Height: height,
			Width:  width,
			Class: func(p string) (string, bool) {
				m := match.FindStringSubmatch(path.Clean(p))
				if m == nil {
					return "", false
				}
				return m[1], true
			},
		})
		if err != nil {
			return nil, err
		}
		s.Name = name
		return s, nil
	}
}

// csvReader reads tables of one layout, one after the other.
func csvReader(name string, l CSVLayout) func(context.Context, []string) (*Set, error) {
	return func(ctx context.Context, paths []string) (*Set, error) {
		var readers []io.Reader
		for _, p := range paths {
			f, err := os.Open(p)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			readers = append(readers, f, strings.NewReader("\n")) // a last line need not end
		}
		s, err := ReadCSV(ctx, io.MultiReader(readers...), l)
		if err != nil {
			return nil, err
		}
		s.Name = name
		return s, nil
	}
}

func vehicleFiles() (files [][]string) {
	for _, r := range vehicleRemote() {
		files = append(files, []string{r.name})
	}
	return files
}

func vehicleRemote() (all []remote) {
	for letter := 'a'; letter <= 'i'; letter++ {
		name := "xa" + string(letter) + ".dat"
		all = append(all, remote{name: name, urls: []string{uci + "statlog/vehicle/" + name}, limit: megabyte})
	}
	return all
}

func readAutoMPG(ctx context.Context, paths []string) (*Set, error) {
	s, err := csvReader("Auto MPG", CSVLayout{Separator: ' ', Header: NoHeader, Label: "8", Skip: []string{"9"}, Missing: []string{"?"}})(ctx, paths)
	if err != nil {
		return nil, err
	}
	if m, _ := s.X.Dims(); m != 7 {
		return nil, fmt.Errorf("%w: %d features, want 7", ErrContent, m)
	}
	s.Features = strings.Fields("mpg cylinders displacement horsepower weight acceleration year")
	// A model that was built in several years comes several times: its name is no ID.
	s.Samples, err = reading(ctx, paths[0], func(ctx context.Context, r io.Reader) ([]string, error) { return ReadNames(ctx, r, 0) })
	if err != nil {
		return nil, err
	}
	s.Samples = slices.DeleteFunc(s.Samples, func(name string) bool { return name == "" }) // a line without one
	for j, name := range s.Samples {
		s.Samples[j] = strings.Trim(name, `"`)
	}
	unique(s.Samples)
	return s, s.Check()
}

// readPalm reads images whose values interpolation has led out of 0..255.
func readPalm(ctx context.Context, paths []string) (*Set, error) {
	s, err := matReader("Palm 16×16", square(16))(ctx, paths)
	if err != nil {
		return nil, err
	}
	m, n := s.X.Dims()
	below, above := 0, 0
	for i := range m {
		for j, v := range s.X.RawRowView(i)[:n] {
			switch {
			case v < 0:
				s.X.Set(i, j, 0)
				below++
			case v > s.Max:
				s.X.Set(i, j, s.Max)
				above++
			}
		}
	}
	if below+above > 0 {
		s.noted("%d values below 0 and %d above %g are set to these", below, above, s.Max)
	}
	return s, nil
}

func readUMISTSmall(ctx context.Context, paths []string) (*Set, error) {
	s, err := matReader("UMIST, shrunk from 112×92", MATLayout{X: "facedat"})(ctx, paths)
	if err != nil {
		return nil, err
	}
	return s.Shrink(28, 23)
}

// readGeorgiaTech reads images that are numbered from 1, fifteen of each person.
func readGeorgiaTech(ctx context.Context, paths []string) (*Set, error) {
	number := regexp.MustCompile(`(?:^|/)GT/([0-9]{1,3})\.jpg$`)
	s, err := OpenImages(ctx, paths[0], ImageLayout{Class: func(p string) (string, bool) {
		m := number.FindStringSubmatch(path.Clean(p))
		if m == nil {
			return "", false
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 {
			return "", false
		}
		return strconv.Itoa((n-1)/15 + 1), true
	}})
	if err != nil {
		return nil, err
	}
	s.Name = "Georgia Tech 40×30"
	return s, nil
}

func one(read func(context.Context, io.Reader) (*Set, error)) func(context.Context, []string) (*Set, error) {
	return func(ctx context.Context, paths []string) (*Set, error) { return reading(ctx, paths[0], read) }
}

func readPendigits(ctx context.Context, paths []string) (*Set, error) {
	s, err := reading(ctx, paths[0], ReadPendigits)
	if err != nil {
		return nil, err
	}
	t, err := reading(ctx, paths[1], ReadPendigits)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(s.Classes, t.Classes) {
		return nil, fmt.Errorf("%w: classes %v for training, %v for testing", ErrContent, s.Classes, t.Classes)
	}
	var x mat.Dense
	x.Augment(s.X, t.X)
	s.X, s.Labels = &x, append(s.Labels, t.Labels...)
	return s, nil
}

// readAlphadigits reads either of the two files that go by this name: images in
// cells, or flattened into the rows of a matrix.
func readAlphadigits(ctx context.Context, paths []string) (*Set, error) {
	f, err := reading(ctx, paths[0], ReadMAT)
	if err != nil {
		return nil, err
	}
	l := MATLayout{X: "dat", Labels: "classlabels", Max: 1}
	if _, err := f.Var("dat"); err != nil {
		l = MATLayout{Height: 20, Width: 16, Max: 1}
	}
	s, err := f.Set(l)
	if err != nil {
		return nil, err
	}
	s.Name = "Binary Alphadigits"
	if len(s.Classes) == 36 { // numbered, in the matrix
		for k, r := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			s.Classes[k] = string(r)
		}
	}
	return s, nil
}
