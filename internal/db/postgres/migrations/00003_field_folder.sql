-- An index for deleteFolder, which looks for Fields that store their files in the Folder.

-- +goose NO TRANSACTION
-- +goose Up

DROP INDEX CONCURRENTLY IF EXISTS field_folder;
CREATE INDEX CONCURRENTLY field_folder ON field (file_folder_id) WHERE file_folder_id <> 0;
