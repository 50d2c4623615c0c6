-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_attended_runs" (
    "run_id" TEXT NOT NULL PRIMARY KEY,
    "session" TEXT NOT NULL,
    "attendant" TEXT NOT NULL,
    "is_visible" BOOLEAN NOT NULL,
    "claimed_at" DATETIME NOT NULL,
    "heard_at" DATETIME NOT NULL,
    "ordered" TEXT,
    "phase" TEXT NOT NULL DEFAULT 'begun',
    "sent" TEXT,
    "ended" TEXT,
    CONSTRAINT "attended_runs_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_attended_runs" ("attendant", "claimed_at", "ended", "heard_at", "is_visible", "ordered", "run_id", "sent", "session") SELECT "attendant", "claimed_at", "ended", "heard_at", "is_visible", "ordered", "run_id", "sent", "session" FROM "attended_runs";
DROP TABLE "attended_runs";
ALTER TABLE "new_attended_runs" RENAME TO "attended_runs";
CREATE UNIQUE INDEX "attended_runs_session_key" ON "attended_runs"("session");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
