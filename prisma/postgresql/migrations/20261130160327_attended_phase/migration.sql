-- AlterTable
ALTER TABLE "attended_runs" ADD COLUMN     "phase" TEXT NOT NULL DEFAULT 'begun';
