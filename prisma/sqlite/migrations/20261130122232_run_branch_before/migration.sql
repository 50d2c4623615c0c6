-- AlterTable
ALTER TABLE "runs" ADD COLUMN "branch_before" TEXT;
