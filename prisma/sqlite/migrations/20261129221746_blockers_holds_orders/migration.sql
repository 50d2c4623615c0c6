-- AlterTable
ALTER TABLE "issues" ADD COLUMN "blocked_by_count" INTEGER;
ALTER TABLE "issues" ADD COLUMN "blockers_due" BOOLEAN;
ALTER TABLE "issues" ADD COLUMN "depends_on" TEXT;

-- AlterTable
ALTER TABLE "batches" ADD COLUMN "hold" TEXT;
ALTER TABLE "batches" ADD COLUMN "order" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN "not_before_reason" TEXT;
ALTER TABLE "tasks" ADD COLUMN "released" TEXT;

-- CreateTable
CREATE TABLE "issue_blockers" (
    "repository_id" TEXT NOT NULL,
    "issue_number" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "blocker_repository_id" TEXT,
    "blocker_number" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "added_by" TEXT,
    "removed_by" TEXT,
    "at" DATETIME NOT NULL,

    PRIMARY KEY ("repository_id", "issue_number", "source", "label"),
    CONSTRAINT "issue_blockers_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "holds" (
    "scope" TEXT NOT NULL PRIMARY KEY,
    "reason" TEXT,
    "actor" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "issue_blockers_blocker_repository_id_blocker_number_idx" ON "issue_blockers"("blocker_repository_id", "blocker_number");
