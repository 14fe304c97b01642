// Package files has the files of an Account: their records, uploads in pieces, and their content. It serves no
// requests: package web sends the content of a public link. Whether a Message has a file is a check that it is given.
//
//	file.go      the records, and the settings of a server
//	see.go       which files a user of only some Lists sees
//	upload.go    stores content in pieces, in several transactions
//	content.go   reads and removes content
//	type.go      media types
//	image.go, imagesize.go   images that users upload, and the widths and heights of images
//	image_copy.go            copies of images as mails show them: image_clean.go removes metadata, image_decode.go has the
//	                         limits, image_scale.go makes them smaller, cuts and turns them,
//	                         image_moving.go those that move, in the colours that image_palette.go chooses
//	file_sql.go, image_copy_sql.go, service.go, jobs.go   the statements, the Service and the jobs
package files
