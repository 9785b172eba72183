-- SPDX-License-Identifier: LGPL-2.1-or-later
-- job_submit.lua - slurmctld's part, a sample for topomap-site(7): who sends a batch
-- job of several nodes has its programs placed, and its nodes close together where
-- that costs no long wait. In slurm.conf: JobSubmitPlugins=lua; beside it this file.

-- Partitions where the default is to place, and how many nodes a leaf switch has.
local placed = { batch = true, all = true }
local leaf = 16
local patience = 300 -- seconds to wait for nodes of one leaf switch

function slurm_job_submit(job, partitions, uid)
    local partition = job.partition
    if partition == nil then
        for name, it in pairs(partitions) do
            if it.flag_default == 1 then partition = name end
        end
    end
    -- srun's own jobs have no environment here: their default is the site file's.
    if job.script == nil or not placed[partition] then return slurm.SUCCESS end
    if job.min_nodes == slurm.NO_VAL or job.min_nodes < 2 then return slurm.SUCCESS end
    -- Who says it himself is not overruled; an environment variable is nothing to
    -- a script where no plugin reads it.
    if job.environment ~= nil and job.environment["TOPOMAP"] == nil then
        job.environment["TOPOMAP"] = "auto,unit=node,pin=0"
    end
    if job.min_nodes <= leaf and (job.req_switch == nil or job.req_switch == 0 or job.req_switch == slurm.NO_VAL) then
        job.req_switch = 1
        job.wait4switch = patience
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job, record, partitions, uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
