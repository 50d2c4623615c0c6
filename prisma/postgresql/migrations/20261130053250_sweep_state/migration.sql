-- AlterTable
ALTER TABLE "repositories" ADD COLUMN     "access" TEXT,
ADD COLUMN     "access_since" TIMESTAMP(3),
ADD COLUMN     "issues_etag" TEXT,
ADD COLUMN     "issues_since" TIMESTAMP(3),
ADD COLUMN     "sweep_problem" TEXT,
ADD COLUMN     "swept_at" TIMESTAMP(3),
ADD COLUMN     "verified_at" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "issues" ADD COLUMN     "moved_to" TEXT;

-- AlterTable
ALTER TABLE "work_keys" ADD COLUMN     "failing_since" TIMESTAMP(3);

-- CreateTable
CREATE TABLE "missed_deliveries" (
    "guid" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "action" TEXT,
    "delivered_at" TIMESTAMP(3) NOT NULL,
    "asked" INTEGER NOT NULL,
    "asked_at" TIMESTAMP(3),
    "state" TEXT NOT NULL,

    CONSTRAINT "missed_deliveries_pkey" PRIMARY KEY ("guid")
);

-- CreateTable
CREATE TABLE "cursors" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "cursors_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "missed_deliveries_state_delivered_at_idx" ON "missed_deliveries"("state", "delivered_at");

-- CreateIndex
CREATE INDEX "comments_state_created_at_idx" ON "comments"("state", "created_at");

-- CreateIndex
CREATE INDEX "tasks_repository_id_state_issue_number_idx" ON "tasks"("repository_id", "state", "issue_number");

-- CreateIndex
CREATE INDEX "tasks_repository_id_finished_at_ended_by_episode_id_issue_n_idx" ON "tasks"("repository_id", "finished_at", "ended_by_episode_id", "issue_number");

-- CreateIndex
CREATE INDEX "issue_blockers_blocker_repository_id_repository_id_issue_nu_idx" ON "issue_blockers"("blocker_repository_id", "repository_id", "issue_number");

-- CreateIndex
CREATE INDEX "events_at_idx" ON "events"("at");

-- CreateIndex
CREATE INDEX "deliveries_received_at_idx" ON "deliveries"("received_at");

-- CreateIndex
CREATE INDEX "work_keys_failing_since_idx" ON "work_keys"("failing_since");
