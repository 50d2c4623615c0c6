-- AlterTable
ALTER TABLE "repositories" ADD COLUMN "comments_since" DATETIME;

-- AlterTable
ALTER TABLE "batches" ADD COLUMN "issue_number" INTEGER;

-- AlterTable
ALTER TABLE "outbox_items" ADD COLUMN "merged_into" TEXT;

-- CreateTable
CREATE TABLE "repository_files" (
    "repository_id" TEXT NOT NULL PRIMARY KEY,
    "etag" TEXT,
    "sha" TEXT,
    "text" TEXT,
    "text_sha" TEXT,
    "problems" TEXT,
    "checked_at" DATETIME NOT NULL,
    CONSTRAINT "repository_files_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "comments" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "repository_id" TEXT NOT NULL,
    "issue_number" INTEGER NOT NULL,
    "author" TEXT,
    "is_bot" BOOLEAN NOT NULL,
    "app" TEXT,
    "body" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "learned_at" DATETIME NOT NULL,
    "source" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "permission" TEXT,
    "commands" TEXT NOT NULL,
    "dropped" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    CONSTRAINT "comments_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "sent_writes" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "scope" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "comments_state_repository_id_issue_number_idx" ON "comments"("state", "repository_id", "issue_number");

-- CreateIndex
CREATE INDEX "sent_writes_scope_at_idx" ON "sent_writes"("scope", "at");

-- CreateIndex
CREATE INDEX "batches_repository_id_issue_number_idx" ON "batches"("repository_id", "issue_number");

-- CreateIndex
CREATE INDEX "outbox_items_repository_id_issue_number_state_idx" ON "outbox_items"("repository_id", "issue_number", "state");

-- CreateIndex
CREATE INDEX "outbox_items_merged_into_idx" ON "outbox_items"("merged_into");
