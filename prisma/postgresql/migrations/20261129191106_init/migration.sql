-- CreateTable
CREATE TABLE "repositories" (
    "id" TEXT NOT NULL,
    "full_name" TEXT NOT NULL,
    "name_key" TEXT,
    "installation_id" BIGINT,

    CONSTRAINT "repositories_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "issues" (
    "repository_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "node_id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "closed_at" TIMESTAMP(3),
    "updated_at" TIMESTAMP(3) NOT NULL,
    "author" TEXT,
    "actor" TEXT,
    "locked" BOOLEAN NOT NULL,
    "is_pull_request" BOOLEAN NOT NULL,
    "presence" TEXT NOT NULL,
    "read_due" BOOLEAN NOT NULL,
    "observed_at" TIMESTAMP(3) NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "issues_pkey" PRIMARY KEY ("repository_id","number")
);

-- CreateTable
CREATE TABLE "close_episodes" (
    "id" TEXT NOT NULL,
    "repository_id" TEXT NOT NULL,
    "issue_number" INTEGER NOT NULL,
    "node_id" TEXT NOT NULL,
    "closed_at" TIMESTAMP(3) NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" TEXT,
    "authority" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "learned_at" TIMESTAMP(3) NOT NULL,
    "reopen_actor" TEXT,
    "reopen_authority" TEXT,
    "reopen_at" TIMESTAMP(3),

    CONSTRAINT "close_episodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batches" (
    "id" TEXT NOT NULL,
    "repository_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "live_key" TEXT,
    "strategy" TEXT NOT NULL,
    "max_parallel" INTEGER NOT NULL,
    "on_failure" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "stuck" BOOLEAN NOT NULL,
    "document" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "finished_at" TIMESTAMP(3),
    "version" INTEGER NOT NULL,

    CONSTRAINT "batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "batch_id" TEXT,
    "repository_id" TEXT NOT NULL,
    "issue_number" INTEGER,
    "spec" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "needs" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "cause" TEXT,
    "actor" TEXT,
    "target" TEXT,
    "hold" TEXT,
    "blockers" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "run_number" INTEGER NOT NULL,
    "requeue_reason" TEXT,
    "ended_by_episode_id" TEXT,
    "exempt_episode_id" TEXT,
    "reopen_seen_episode_id" TEXT,
    "not_before" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "finished_at" TIMESTAMP(3),
    "version" INTEGER NOT NULL,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "generation" INTEGER NOT NULL,
    "purpose" TEXT NOT NULL,
    "runner" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "cause" TEXT,
    "reason" TEXT,
    "failure_class" TEXT,
    "exit_code" INTEGER,
    "signal" TEXT,
    "containment" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "started_at" TIMESTAMP(3),
    "cancel_requested_at" TIMESTAMP(3),
    "term_at" TIMESTAMP(3),
    "kill_at" TIMESTAMP(3),
    "survivors" TEXT NOT NULL,
    "ended_at" TIMESTAMP(3),
    "gone_at" TIMESTAMP(3),

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "seq" SERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,
    "repository_id" TEXT,
    "issue_number" INTEGER,
    "batch_id" TEXT,
    "task_id" TEXT,
    "run_id" TEXT,
    "data" TEXT NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "seq" SERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "received_at" TIMESTAMP(3) NOT NULL,
    "outcome" TEXT,
    "settled_at" TIMESTAMP(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "work_keys" (
    "key" TEXT NOT NULL,
    "due_at" TIMESTAMP(3) NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMP(3),
    "fence" BIGINT NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_error" TEXT,

    CONSTRAINT "work_keys_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "outbox_items" (
    "id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "repository_id" TEXT NOT NULL,
    "issue_number" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "due_at" TIMESTAMP(3) NOT NULL,
    "remote_id" TEXT,
    "body_hash" TEXT,
    "failures" INTEGER NOT NULL,
    "last_error" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "sent_at" TIMESTAMP(3),
    "owner" TEXT,
    "lease_until" TIMESTAMP(3),
    "fence" BIGINT NOT NULL,

    CONSTRAINT "outbox_items_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_lines" (
    "item_key" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "run_id" TEXT,
    "effect" TEXT NOT NULL,
    "result" TEXT NOT NULL,

    CONSTRAINT "outbox_lines_pkey" PRIMARY KEY ("item_key","task_id")
);

-- CreateTable
CREATE TABLE "probes" (
    "id" INTEGER NOT NULL,
    "at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "probes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "repositories_name_key_key" ON "repositories"("name_key");

-- CreateIndex
CREATE INDEX "close_episodes_repository_id_issue_number_idx" ON "close_episodes"("repository_id", "issue_number");

-- CreateIndex
CREATE UNIQUE INDEX "close_episodes_node_id_closed_at_key" ON "close_episodes"("node_id", "closed_at");

-- CreateIndex
CREATE UNIQUE INDEX "batches_live_key_key" ON "batches"("live_key");

-- CreateIndex
CREATE INDEX "batches_repository_id_name_created_at_idx" ON "batches"("repository_id", "name", "created_at");

-- CreateIndex
CREATE INDEX "batches_created_at_id_idx" ON "batches"("created_at", "id");

-- CreateIndex
CREATE INDEX "tasks_repository_id_issue_number_idx" ON "tasks"("repository_id", "issue_number");

-- CreateIndex
CREATE INDEX "tasks_state_priority_created_at_idx" ON "tasks"("state", "priority", "created_at");

-- CreateIndex
CREATE INDEX "tasks_state_not_before_idx" ON "tasks"("state", "not_before");

-- CreateIndex
CREATE INDEX "tasks_finished_at_idx" ON "tasks"("finished_at");

-- CreateIndex
CREATE INDEX "tasks_created_at_id_idx" ON "tasks"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_batch_id_key_key" ON "tasks"("batch_id", "key");

-- CreateIndex
CREATE INDEX "runs_state_idx" ON "runs"("state");

-- CreateIndex
CREATE UNIQUE INDEX "runs_task_id_number_key" ON "runs"("task_id", "number");

-- CreateIndex
CREATE INDEX "events_repository_id_issue_number_type_at_idx" ON "events"("repository_id", "issue_number", "type", "at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_id_key" ON "deliveries"("id");

-- CreateIndex
CREATE INDEX "deliveries_outcome_seq_idx" ON "deliveries"("outcome", "seq");

-- CreateIndex
CREATE INDEX "work_keys_lease_until_due_at_idx" ON "work_keys"("lease_until", "due_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_items_key_key" ON "outbox_items"("key");

-- CreateIndex
CREATE INDEX "outbox_items_state_lease_until_due_at_idx" ON "outbox_items"("state", "lease_until", "due_at");

-- CreateIndex
CREATE INDEX "outbox_items_lease_until_idx" ON "outbox_items"("lease_until");

-- AddForeignKey
ALTER TABLE "issues" ADD CONSTRAINT "issues_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "close_episodes" ADD CONSTRAINT "close_episodes_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "batches" ADD CONSTRAINT "batches_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batches"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_items" ADD CONSTRAINT "outbox_items_repository_id_fkey" FOREIGN KEY ("repository_id") REFERENCES "repositories"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_lines" ADD CONSTRAINT "outbox_lines_item_key_fkey" FOREIGN KEY ("item_key") REFERENCES "outbox_items"("key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_lines" ADD CONSTRAINT "outbox_lines_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_lines" ADD CONSTRAINT "outbox_lines_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;
