-- AlterTable
ALTER TABLE "tasks" ADD COLUMN "needs_due" BOOLEAN;

-- CreateIndex
CREATE INDEX "tasks_batch_id_needs_due_idx" ON "tasks"("batch_id", "needs_due");

-- CreateIndex
CREATE INDEX "tasks_batch_id_state_cause_idx" ON "tasks"("batch_id", "state", "cause");
