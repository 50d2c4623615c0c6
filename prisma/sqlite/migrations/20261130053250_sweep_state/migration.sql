-- AlterTable
ALTER TABLE "repositories" ADD COLUMN "access" TEXT;
ALTER TABLE "repositories" ADD COLUMN "access_since" DATETIME;
ALTER TABLE "repositories" ADD COLUMN "issues_etag" TEXT;
ALTER TABLE "repositories" ADD COLUMN "issues_since" DATETIME;
ALTER TABLE "repositories" ADD COLUMN "sweep_problem" TEXT;
ALTER TABLE "repositories" ADD COLUMN "swept_at" DATETIME;
ALTER TABLE "repositories" ADD COLUMN "verified_at" DATETIME;

-- AlterTable
ALTER TABLE "issues" ADD COLUMN "moved_to" TEXT;

-- AlterTable
ALTER TABLE "work_keys" ADD COLUMN "failing_since" DATETIME;

-- CreateTable
CREATE TABLE "missed_deliveries" (
    "guid" TEXT NOT NULL PRIMARY KEY,
    "delivery_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "action" TEXT,
    "delivered_at" DATETIME NOT NULL,
    "asked" INTEGER NOT NULL,
    "asked_at" DATETIME,
    "state" TEXT NOT NULL
);

-- CreateTable
CREATE TABLE "cursors" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL,
    "at" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "missed_deliveries_state_delivered_at_idx" ON "missed_deliveries"("state", "delivered_at");

-- CreateIndex
CREATE INDEX "comments_state_created_at_idx" ON "comments"("state", "created_at");

-- CreateIndex
CREATE INDEX "tasks_repository_id_state_issue_number_idx" ON "tasks"("repository_id", "state", "issue_number");

-- CreateIndex
CREATE INDEX "tasks_repository_id_finished_at_ended_by_episode_id_issue_number_idx" ON "tasks"("repository_id", "finished_at", "ended_by_episode_id", "issue_number");

-- CreateIndex
CREATE INDEX "issue_blockers_blocker_repository_id_repository_id_issue_number_idx" ON "issue_blockers"("blocker_repository_id", "repository_id", "issue_number");

-- CreateIndex
CREATE INDEX "events_at_idx" ON "events"("at");

-- CreateIndex
CREATE INDEX "deliveries_received_at_idx" ON "deliveries"("received_at");

-- CreateIndex
CREATE INDEX "work_keys_failing_since_idx" ON "work_keys"("failing_since");
