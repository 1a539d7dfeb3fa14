# rpart's part of `sh bench/run.sh tree`: the tasks of recorded spaces that bench_tree.c wrote down.
#
#     Rscript bench/tree_peer.R TASKS
#
# rpart: time, with all that rpart has for defaults. rpart_log: log time, grown to leaves of one
# sample (cp 0, minsplit 2) and pruned at the least error of its ten-fold cross-validation.
suppressPackageStartupMessages(library(rpart))

result <- function(name, value, unit = "")
    cat(sprintf("result\t%s\t%.6g\t%s\n", name, value, unit))

pruned <- function(data) {
    tree <- rpart(log(y) ~ ., data, method = "anova", cp = 0, minsplit = 2, xval = 10)
    prune(tree, tree$cptable[which.min(tree$cptable[, "xerror"]), "CP"])
}

models <- list(
    rpart = function(data, new) predict(rpart(y ~ ., data, method = "anova"), new),
    rpart_log = function(data, new) exp(predict(pruned(data), new)))

tasks <- file(commandArgs(TRUE)[1], "rb")
errors <- list()
while (length(line <- readLines(tasks, 1)) > 0) {
    words <- strsplit(line, " ")[[1]]
    size <- as.integer(words[2:4]) # rows, columns, queries
    x <- matrix(readBin(tasks, "double", size[1] * size[2]), ncol = size[2], byrow = TRUE)
    y <- readBin(tasks, "double", size[1])
    invisible(readBin(tasks, "double", size[3] * size[2]))
    name <- strsplit(words[1], ":")[[1]]
    if (name[1] != "space") next
    learned <- seq_len(as.integer(name[3]))
    data <- data.frame(x)
    set.seed(0)
    for (model in names(models)) {
        told <- models[[model]](cbind(data[learned, , drop = FALSE], y = y[learned]),
                                data[-learned, , drop = FALSE])
        error <- median(abs(told - y[-learned]) / y[-learned])
        errors[[model]][[name[2]]] <- c(errors[[model]][[name[2]]], error)
    }
}
for (model in names(errors)) {
    spaces <- sapply(errors[[model]], median)
    for (space in names(spaces)) result(paste0("error_", model, ":", space), spaces[space])
    result(paste0("error_", model), median(spaces), "median over spaces")
}
