-- AlterTable
ALTER TABLE "attended_runs" ADD COLUMN "sent" TEXT;
