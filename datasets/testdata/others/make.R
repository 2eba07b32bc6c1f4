x <- data.frame(height = c(1.5, NA, 2), weight = c(60, 70.25, 80), kind = c("b", "a", "b"), row.names = c("ann", "bob", "li"))
write.csv(x, "r.csv")
write.csv2(x, "r2.csv")
write.table(x, "r.txt")
