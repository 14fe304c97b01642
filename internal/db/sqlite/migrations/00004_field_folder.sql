-- An index for deleteFolder, which looks for Fields that store their files in the Folder.

-- +goose Up

CREATE INDEX field_folder ON field (file_folder_id) WHERE file_folder_id <> 0;
