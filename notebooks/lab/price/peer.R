# NMF of RcppML: a request in a line, a fit in a line.
suppressMessages({library(RcppML); library(jsonlite)})
threads <- max(1L, parallel::detectCores())
setRcppMLthreads(threads)
input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  q <- fromJSON(line)
  if (q$path == "") {
    cat(toJSON(list(facts = sprintf("RcppML %s on %d threads, %s", packageVersion("RcppML"), threads, R.version.string)), auto_unbox = TRUE), "\n", sep = "")
    next
  }
  x <- matrix(readBin(q$path, "double", q$m * q$n), q$m, q$n)
  set.seed(q$seed)
  begin <- proc.time()[["elapsed"]]
  f <- nmf(x, q$rank, tol = q$tol, maxit = q$maxiter, verbose = FALSE, seed = q$seed)
  seconds <- proc.time()[["elapsed"]] - begin
  error <- sqrt(sum((x - f$w %*% (f$d * f$h))^2) / sum(x^2))
  cat(toJSON(list(seconds = max(seconds, 0.001), rounds = f$iter, error = error), auto_unbox = TRUE, digits = 12), "\n", sep = "")
}
