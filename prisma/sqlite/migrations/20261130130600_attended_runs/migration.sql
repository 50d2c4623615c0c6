-- CreateTable
CREATE TABLE "attended_runs" (
    "run_id" TEXT NOT NULL PRIMARY KEY,
    "session" TEXT NOT NULL,
    "attendant" TEXT NOT NULL,
    "is_visible" BOOLEAN NOT NULL,
    "claimed_at" DATETIME NOT NULL,
    "heard_at" DATETIME NOT NULL,
    "ordered" TEXT,
    "ended" TEXT,
    CONSTRAINT "attended_runs_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "attended_runs_session_key" ON "attended_runs"("session");
