-- AlterTable
ALTER TABLE "tasks" ADD COLUMN "not_before_told" BOOLEAN;
