module enlist

go 1.26.8
