-- SPDX-License-Identifier: LGPL-2.1-or-later
-- cli_filter.lua - the part of sbatch, salloc and srun, a sample for topomap-site(7):
-- says once what the user may not know. In slurm.conf: CliFilterPlugins=lua; beside
-- it this file, on login nodes.

function slurm_cli_setup_defaults(options, early)
    return slurm.SUCCESS
end

-- An MPI program that is started without its MPI type becomes as many programs of
-- one rank each, and nothing of it can be recorded.
function slurm_cli_pre_submit(options, offset)
    if options["type"] == "srun" and (os.getenv("TOPOMAP") or ""):match("^profile") and options["mpi"] == nil then
        slurm.log_info("topomap records MPI programs: is --mpi= missing?")
    end
    return slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job, step)
    return slurm.SUCCESS
end

return slurm.SUCCESS
